// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Steps in the life of a device on a netdev, which can go away at any moment. */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "xrdma.h"

/**
 * xrdma_check_free - see that the kernel's own driver has no device there
 * @ndev: where a device shall be
 * @id: of that driver. Ours have its id, too, but are not found this way: they
 *	have the get_netdev operation
 * @driver: its name
 * @us: name of the driver that asks, for the log
 *
 * A refusal says in the log what to do about it. Context: process.
 * Return: 0 or -EEXIST.
 */
int xrdma_check_free(struct net_device *ndev, enum rdma_driver_id id,
		     const char *driver, const char *us)
{
	struct ib_device *other = ib_device_get_by_netdev(ndev, id);

	if (!other)
		return 0;
	pr_err_ratelimited("%s: %s has the %s device %s: 'rdma link del %s' first\n",
			   us, netdev_name(ndev), driver, dev_name(&other->dev),
			   dev_name(&other->dev));
	ib_device_put(other);
	return -EEXIST;
}
EXPORT_SYMBOL_GPL(xrdma_check_free);

static int try_register(struct ib_device *ibdev, const char *name,
			const struct net_device *ndev)
{
	int err = ib_register_device(ibdev, name, NULL);

	if (!err)
		return 0;
	if (err == -ENFILE)
		err = -EEXIST;	/* the core's word for a name in use */
	pr_err_ratelimited("%s: %s can't be registered on %s: %s (%d)\n",
			   module_name(ibdev->ops.owner), name,
			   netdev_name(ndev), err == -EEXIST ?
			   "another device has that name" : "error", err);
	ib_dealloc_device(ibdev);
	return err;
}

/**
 * xrdma_register - register a device, or deallocate it
 * @ibdev: the device
 * @name: from the user
 * @ndev: its netdev
 * @is_leaving: written under RTNL by who calls xrdma_unregister_soon()
 *
 * Context: process. Return: 0; -ENODEV: the netdev went away meanwhile, and so
 * did the device; another error, of which the log says more.
 */
int xrdma_register(struct ib_device *ibdev, const char *name,
		   const struct net_device *ndev, const bool *is_leaving)
{
	bool too_late;
	int err;

	/* Once registered, others may unregister it: keep the memory. */
	get_device(&ibdev->dev);
	err = try_register(ibdev, name, ndev);
	if (err)
		goto put;
	/* If the netdev went away before, its notifier could not unregister us. */
	rtnl_lock();
	too_late = *is_leaving;
	rtnl_unlock();
	if (too_late && ib_device_try_get(ibdev)) {
		ib_unregister_device_and_put(ibdev);
		err = -ENODEV;
	}
put:
	put_device(&ibdev->dev);
	return err;
}
EXPORT_SYMBOL_GPL(xrdma_register);

/**
 * xrdma_unregister_soon - unregister a device whose netdev goes away
 * @ibdev: the device; if it is not registered yet, xrdma_register() sees to it
 *
 * Context: any; does not wait for the end.
 */
void xrdma_unregister_soon(struct ib_device *ibdev)
{
	if (!ib_device_try_get(ibdev))
		return;
	ib_unregister_device_queued(ibdev);
	ib_device_put(ibdev);
}
EXPORT_SYMBOL_GPL(xrdma_unregister_soon);

/**
 * xrdma_tell_port_event - an event of a device's only port
 * @ibdev: the device; who has not seen it yet needs no news of it
 * @type: the event
 *
 * Context: any.
 */
void xrdma_tell_port_event(struct ib_device *ibdev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = ibdev,
		.element.port_num = 1,
		.event = type,
	};

	if (!ib_device_try_get(ibdev))
		return;
	ib_dispatch_event(&event);
	ib_device_put(ibdev);
}
EXPORT_SYMBOL_GPL(xrdma_tell_port_event);
