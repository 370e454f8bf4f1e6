// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The parameters of congestion control in sysfs, with the names that the drivers of
 * NICs have for them:
 *
 *	/sys/class/infiniband/NAME/ecn/roce_np/	min_time_between_cnps, ...
 *	                               roce_rp/	rpg_ai_rate, ..., algorithm
 *
 * An ib_client, since only those are told in time that a device goes.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include "congest.h"
#include "device.h"
#include "ecn.h"
#include "ops.h"

/**
 * struct ecn - the folder of a device
 * @kobj: "ecn"
 * @dev: alive as long as the folder is seen
 */
struct ecn {
	struct kobject kobj;
	struct xroce_dev *dev;
};

/**
 * struct number - a parameter that is a number
 * @attr: name and mode
 * @offset: of a u32 in struct xroce_congest
 * @least: smallest value
 * @most: largest
 */
struct number {
	struct kobj_attribute attr;
	size_t offset;
	u32 least;
	u32 most;
};

static struct xroce_congest *congest_of(struct kobject *kobj)
{
	return &container_of(kobj, struct ecn, kobj)->dev->congest;
}

static u32 *value_of(struct kobject *kobj, const struct number *number)
{
	return (void *)congest_of(kobj) + number->offset;
}

static ssize_t number_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	const struct number *number = container_of(attr, struct number, attr);

	return sysfs_emit(buf, "%u\n", READ_ONCE(*value_of(kobj, number)));
}

static ssize_t number_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	const struct number *number = container_of(attr, struct number, attr);
	u32 value;
	int err;

	err = kstrtou32(buf, 0, &value);
	if (err)
		return err;
	if (value < number->least || value > number->most)
		return -EINVAL;
	WRITE_ONCE(*value_of(kobj, number), value);
	return count;
}

#define NUMBER(_name, member, _least, _most) {				\
	.attr = __ATTR(_name, 0644, number_show, number_store),		\
	.offset = offsetof(struct xroce_congest, member),		\
	.least = _least,						\
	.most = _most,							\
},

#define NP_NUMBER(name, def, least, most) NUMBER(name, np.name, least, most)
static struct number np_numbers[] = {
	XROCE_NP_PARAMS(NP_NUMBER)
};

#define RP_NUMBER(name, def, least, most) NUMBER(name, rp.name, least, most)
static struct number rp_numbers[] = {
	NUMBER(enable, ecn, 0, 1)
	XROCE_RP_PARAMS(RP_NUMBER)
};

/* All that there are, the one that is chosen in brackets. */
static ssize_t algorithm_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	const struct xroce_cc_ops *chosen, *ops;
	ssize_t n = 0;
	unsigned int i;

	chosen = READ_ONCE(congest_of(kobj)->algorithm);
	for (i = 0; (ops = xroce_cc_at(i)); i++)
		n += sysfs_emit_at(buf, n, ops == chosen ? "[%s] " : "%s ",
				   ops->name);
	return n + sysfs_emit_at(buf, n, "\n");
}

static ssize_t algorithm_store(struct kobject *kobj, struct kobj_attribute *attr,
			       const char *buf, size_t count)
{
	const struct xroce_cc_ops *ops = xroce_cc_find(buf, strcspn(buf, "\n"));

	if (!ops)
		return -EINVAL;
	WRITE_ONCE(congest_of(kobj)->algorithm, ops);
	return count;
}

static struct kobj_attribute algorithm_attribute =
	__ATTR(algorithm, 0644, algorithm_show, algorithm_store);

static struct attribute *np_attributes[ARRAY_SIZE(np_numbers) + 1];
static struct attribute *rp_attributes[ARRAY_SIZE(rp_numbers) + 2];

static const struct attribute_group np_group = {
	.name = "roce_np",
	.attrs = np_attributes,
};

static const struct attribute_group rp_group = {
	.name = "roce_rp",
	.attrs = rp_attributes,
};

static const struct attribute_group *groups[] = { &np_group, &rp_group, NULL };

static void ecn_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct ecn, kobj));
}

static struct kobj_type ecn_type = {
	.release = ecn_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = groups,
};

/* ---- devices ------------------------------------------------------------------ */

static struct ib_client client;

static int add_device(struct ib_device *ibdev)
{
	struct ecn *ecn;
	int err;

	/* Driver ids are shared with rxe, operations are not. */
	if (ibdev->ops.owner != xroce_ops.owner)
		return -EOPNOTSUPP;
	ecn = kzalloc_obj(*ecn, GFP_KERNEL);
	if (!ecn)
		return -ENOMEM;
	ecn->dev = to_xroce_dev(ibdev);
	err = kobject_init_and_add(&ecn->kobj, &ecn_type, &ibdev->dev.kobj,
				   "ecn");
	if (err) {
		kobject_put(&ecn->kobj);
		return err;
	}
	ib_set_client_data(ibdev, &client, ecn);
	return 0;
}

static void remove_device(struct ib_device *ibdev, void *data)
{
	struct ecn *ecn = data;

	/* Waits for readers and writers. */
	kobject_del(&ecn->kobj);
	kobject_put(&ecn->kobj);
}

static struct ib_client client = {
	.name = "xroce_ecn",
	.add = add_device,
	.remove = remove_device,
};

static void collect(struct attribute **to, struct number *numbers, size_t n)
{
	while (n--) {
		sysfs_attr_init(&numbers[n].attr.attr);
		to[n] = &numbers[n].attr.attr;
	}
}

int xroce_ecn_init(void)
{
	collect(np_attributes, np_numbers, ARRAY_SIZE(np_numbers));
	collect(rp_attributes, rp_numbers, ARRAY_SIZE(rp_numbers));
	rp_attributes[ARRAY_SIZE(rp_numbers)] = &algorithm_attribute.attr;
	return ib_register_client(&client);
}

void xroce_ecn_exit(void)
{
	ib_unregister_client(&client);
}
