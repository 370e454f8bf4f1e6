// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What only users in the kernel can ask of a device. A module for kverbs.sh:
 *
 *	insmod kverbs.ko device=NAME
 *	echo CASE > /sys/module/kverbs/parameters/run
 *
 * The write fails if the case does, and the kernel's log says why.
 */

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "pair.h"

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the device to test");

static DEFINE_MUTEX(subject_mutex);	/* subject stays while it is held */
static struct ib_device *subject;

static const struct {
	const char *name;
	int (*test)(struct ib_device *dev);
} cases[] = {
	{ "page-sizes", kverbs_page_sizes },
	{ "gaps", kverbs_gaps },
	{ "limits", kverbs_limits },
	{ "invalidation", kverbs_invalidation },
	{ "read-with-invalidation", kverbs_read_with_invalidation },
	{ "inline-data", kverbs_inline_data },
	{ "opcodes", kverbs_opcodes },
	{ "drain", kverbs_drain },
	{ "vectors", kverbs_vectors },
	{ "moderation", kverbs_moderation },
	{ "rate-limit", kverbs_rate_limit },
	{ "resize", kverbs_resize },
};

static int run_case(const char *name, const struct kernel_param *param)
{
	int err = -EINVAL;
	size_t i;

	mutex_lock(&subject_mutex);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (sysfs_streq(name, cases[i].name))
			err = subject ? cases[i].test(subject) : -ENODEV;
	}
	mutex_unlock(&subject_mutex);
	return err;
}

static const struct kernel_param_ops run_ops = {
	.set = run_case,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "name of a case to run");

static int add_device(struct ib_device *dev)
{
	if (!device || strcmp(dev_name(&dev->dev), device))
		return -EOPNOTSUPP;
	mutex_lock(&subject_mutex);
	subject = dev;
	mutex_unlock(&subject_mutex);
	return 0;
}

static void remove_device(struct ib_device *dev, void *data)
{
	mutex_lock(&subject_mutex);
	subject = NULL;
	mutex_unlock(&subject_mutex);
}

static struct ib_client client = {
	.name = "kverbs",
	.add = add_device,
	.remove = remove_device,
};

static int __init kverbs_init(void)
{
	return ib_register_client(&client);
}

static void __exit kverbs_exit(void)
{
	ib_unregister_client(&client);
}

module_init(kverbs_init);
module_exit(kverbs_exit);
MODULE_DESCRIPTION("Tests of RDMA verbs in the kernel");
MODULE_LICENSE("Dual BSD/GPL");
