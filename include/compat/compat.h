/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * In front of every source file. The code is written for the newest kernel; the
 * headers in this folder stand in for the kernel's and add what older ones lack.
 * Their guards come first, because kernel headers include each other in circles.
 */
#ifndef XRDMA_COMPAT_H
#define XRDMA_COMPAT_H

#include <generated/compat-config.h>

#endif
