/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* rte_dev_iterator: the only way in 22.11 to see devices that have no driver */
#define ALLOW_EXPERIMENTAL_API

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include "devices.h"
#include "log.h"

static bool
device_is_probed(const struct rte_devargs *devargs)
{
	struct rte_dev_iterator it;
	struct rte_device *dev;
	bool probed = false;
	char filter[64];

	snprintf(filter, sizeof(filter), "bus=%s", rte_bus_name(devargs->bus));
	RTE_DEV_FOREACH(dev, filter, &it)
	{
		if (rte_dev_devargs(dev) == devargs ||
				strcmp(rte_dev_name(dev), devargs->name) == 0)
			probed = probed || rte_dev_is_probed(dev);
	}
	return probed;
}

int
devices_check(void)
{
	const struct rte_devargs *devargs;
	int ret = 0;

	RTE_EAL_DEVARGS_FOREACH(NULL, devargs)
	{
		if (devargs->policy != RTE_DEV_ALLOWED || device_is_probed(devargs))
			continue;
		app_error("%s %s: no such device, or no driver took it; see the EAL messages above",
				devargs->type == RTE_DEVTYPE_VIRTUAL ? "--vdev" : "-a",
				devargs->name);
		ret = -ENODEV;
	}
	if (ret == 0 && rte_eth_dev_count_avail() == 0) {
		app_error("no ports: name devices with the EAL arguments -a or --vdev, for example -a 0000:01:00.0 or --vdev=net_af_packet0,iface=eth1,framesz=9216,blocksz=36864");
		ret = -ENODEV;
	}
	return ret;
}
