// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lets calls fail on kernels that have no fault injection of their own. A module for
 * faults.sh:
 *
 *	insmod kfaults.ko
 *	echo xroce,ib_uverbs > /sys/module/kfaults/parameters/subjects
 *	echo N > /sys/module/kfaults/parameters/nth
 *
 * After that the Nth of the writer's calls from one of these modules to a function that
 * may fail for want of memory, or to copy from or to user space, fails without being
 * made. To read it tells how many more there are to be; 0 means that it has failed, and
 * the parameter "last" tells which it was.
 *
 * Each of these functions has a kprobe that, when its turn comes, returns in its place.
 */

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/xarray.h>

static char subjects[128];
module_param_string(subjects, subjects, sizeof(subjects), 0600);
MODULE_PARM_DESC(subjects, "modules whose calls fail, separated by commas");

static char last[2 * KSYM_SYMBOL_LEN];
module_param_string(last, last, sizeof(last), 0400);
MODULE_PARM_DESC(last, "the call that failed last");

static pid_t victim;		/* thread; 0: none */
static unsigned int left;	/* calls of it, the last of which fails */

enum outcome {
	NOTHING,		/* NULL, false */
	NO_MEMORY,		/* -ENOMEM, as a number or a pointer */
	NO_ENTRY,		/* what an XArray says instead */
	NOT_COPIED,		/* as many bytes as were to be */
};

/* Kernels have some of them each. */
static const struct {
	const char *name;
	enum outcome outcome;
} functions[] = {
	{ "__kmalloc", NOTHING },
	{ "__kmalloc_noprof", NOTHING },
	{ "kmalloc_trace", NOTHING },
	{ "__kmalloc_cache_noprof", NOTHING },
	{ "kmalloc_large", NOTHING },
	{ "__kmalloc_large_noprof", NOTHING },
	{ "kvmalloc_node", NOTHING },
	{ "__kvmalloc_node_noprof", NOTHING },
	{ "__vmalloc", NOTHING },
	{ "__vmalloc_noprof", NOTHING },
	{ "alloc_pages", NOTHING },
	{ "alloc_pages_noprof", NOTHING },
	{ "__get_free_pages", NOTHING },
	{ "get_free_pages_noprof", NOTHING },
	{ "__alloc_percpu", NOTHING },
	{ "pcpu_alloc_noprof", NOTHING },
	{ "__alloc_skb", NOTHING },
	{ "skb_clone", NOTHING },
	{ "skb_page_frag_refill", NOTHING },
	{ "_ib_alloc_device", NOTHING },
	{ "rdma_alloc_hw_stats_struct", NOTHING },
	{ "alloc_workqueue", NOTHING },
	{ "alloc_workqueue_noprof", NOTHING },
	{ "memdup_user", NO_MEMORY },
	{ "__xa_alloc", NO_MEMORY },
	{ "__xa_alloc_cyclic", NO_MEMORY },
	{ "__xa_insert", NO_MEMORY },
	{ "xa_store", NO_ENTRY },
	{ "__xa_cmpxchg", NO_ENTRY },
	{ "ida_alloc_range", NO_MEMORY },
	{ "rdma_user_mmap_entry_insert_range", NO_MEMORY },
	{ "mmu_interval_notifier_insert", NO_MEMORY },
	{ "ib_umem_get", NO_MEMORY },
	{ "dev_mc_add", NO_MEMORY },
	{ "__ipv6_dev_mc_inc", NO_MEMORY },
	{ "sock_create_kern", NO_MEMORY },
	{ "udp_sock_create4", NO_MEMORY },
	{ "udp_sock_create6", NO_MEMORY },
	{ "nf_register_net_hooks", NO_MEMORY },
	{ "ib_register_device", NO_MEMORY },
	{ "ib_device_set_netdev", NO_MEMORY },
	{ "_copy_from_user", NOT_COPIED },
	{ "_copy_to_user", NOT_COPIED },
};

static struct kprobe probes[ARRAY_SIZE(functions)];

void kfaults_return(void);
asm(".pushsection .text\n"
    ".type kfaults_return, @function\n"
    ".globl kfaults_return\n"
    "kfaults_return:\n"
    ANNOTATE_NOENDBR "\n"
    ASM_RET "\n"
    ".size kfaults_return, .-kfaults_return\n"
    ".popsection\n");

static bool is_of_subject(unsigned long caller)
{
	char symbol[KSYM_SYMBOL_LEN], *name, *end;
	size_t length;

	sprint_symbol(symbol, caller - 1);
	name = strchr(symbol, '[');
	end = name ? strchr(name, ']') : NULL;
	if (!end)
		return false;
	length = end - ++name;
	/* Names that begin alike are no trouble among those that we know. */
	*end = 0;
	for (end = subjects; (end = strstr(end, name)); end += length) {
		if ((end == subjects || end[-1] == ',') &&
		    (!end[length] || end[length] == ',' || end[length] == '\n'))
			return true;
	}
	return false;
}

static unsigned long value(enum outcome outcome, const struct pt_regs *regs)
{
	switch (outcome) {
	case NO_MEMORY:
		return -ENOMEM;
	case NO_ENTRY:
		return (unsigned long)xa_mk_internal(-ENOMEM);
	case NOT_COPIED:
		return regs->dx;
	default:
		return 0;
	}
}

static int enter(struct kprobe *probe, struct pt_regs *regs)
{
	if (current->pid != READ_ONCE(victim) || in_serving_softirq() || in_hardirq() ||
	    !is_of_subject(*(unsigned long *)regs->sp))
		return 0;
	if (left)
		left--;
	if (left)
		return 0;
	WRITE_ONCE(victim, 0);
	snprintf(last, sizeof(last), "%s of %pB", probe->symbol_name,
		 *(void **)regs->sp);
	regs->ax = value(functions[probe - probes].outcome, regs);
	regs->ip = (unsigned long)kfaults_return;
	return 1;
}
NOKPROBE_SYMBOL(enter);

/* That there is one makes ftrace let us change where the call returns to. */
static void leave(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static int set_nth(const char *text, const struct kernel_param *param)
{
	unsigned int nth;
	int err = kstrtouint(text, 0, &nth);

	if (err)
		return err;
	WRITE_ONCE(victim, 0);
	left = nth;
	if (nth)
		WRITE_ONCE(victim, current->pid);
	return 0;
}

static int get_nth(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%u\n", left);
}

static const struct kernel_param_ops nth_ops = {
	.set = set_nth,
	.get = get_nth,
};
module_param_cb(nth, &nth_ops, NULL, 0600);
MODULE_PARM_DESC(nth, "which of the writer's calls is to fail");

static void drop_probes(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
	}
}

static int __init kfaults_init(void)
{
	size_t i, n = 0;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].symbol_name = functions[i].name;
		probes[i].pre_handler = enter;
		probes[i].post_handler = leave;
		err = register_kprobe(&probes[i]);
		if (err)
			probes[i].addr = NULL;
		else
			n++;
	}
	pr_info("kfaults: %zu functions can fail\n", n);
	return n ? 0 : -EOPNOTSUPP;
}

static void __exit kfaults_exit(void)
{
	drop_probes();
}

module_init(kfaults_init);
module_exit(kfaults_exit);
MODULE_DESCRIPTION("Calls that fail, for the tests of RDMA drivers");
MODULE_LICENSE("GPL");
