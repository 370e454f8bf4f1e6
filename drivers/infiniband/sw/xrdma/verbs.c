// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Small change of the verbs: private parts of commands, details for tools. */

#include <linux/export.h>
#include <linux/uaccess.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma.h"

/**
 * xrdma_ignore_udata - a command whose private part means nothing
 * @udata: of the command, or NULL
 *
 * Later providers may say more to us than we know: only zeros mean nothing.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EFAULT.
 */
int xrdma_ignore_udata(struct ib_udata *udata)
{
	if (!udata)
		return 0;
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EINVAL;
	if (udata->outlen && clear_user(udata->outbuf, udata->outlen))
		return -EFAULT;
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_ignore_udata);

/**
 * xrdma_put_details - fill in what "rdma resource show -dd" shows of an object
 * @msg: the answer to be
 * @details: what to show
 * @n: entries of @details
 *
 * Return: 0, -EMSGSIZE.
 */
int xrdma_put_details(struct sk_buff *msg, const struct xrdma_detail *details,
		      unsigned int n)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	unsigned int i;

	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < n; i++) {
		if (rdma_nl_put_driver_u64(msg, details[i].name,
					   details[i].value)) {
			nla_nest_cancel(msg, table);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}
EXPORT_SYMBOL_GPL(xrdma_put_details);
