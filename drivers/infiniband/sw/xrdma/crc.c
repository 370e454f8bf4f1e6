// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CRC-32 as fast as older kernels can do it (see compat/linux/crc32.h). */

#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/export.h>
#include "xrdma.h"

#ifndef HAVE_FAST_CRC32

#undef crc32_le

/* Below that, saving the FPU's registers costs more than is gained. */
#define LONG_BYTES	256
#define DRIVER		"crc32-pclmul"

static struct crypto_shash *fast;

void xrdma_crc_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32", 0, 0);

	if (IS_ERR(tfm))
		return;
	if (strcmp(crypto_tfm_alg_driver_name(crypto_shash_tfm(tfm)), DRIVER))
		crypto_free_shash(tfm);
	else
		fast = tfm;
}

void xrdma_crc_exit(void)
{
	if (fast)
		crypto_free_shash(fast);
}

/**
 * xrdma_crc32_le - CRC-32, bits reflected, no inversion
 * @crc: of what comes before
 * @data: bytes
 * @len: how many
 *
 * Context: any.
 * Return: the CRC.
 */
u32 xrdma_crc32_le(u32 crc, const void *data, size_t len)
{
	SHASH_DESC_ON_STACK(desc, fast);

	if (len < LONG_BYTES || !fast)
		return crc32_le(crc, data, len);
	desc->tfm = fast;
	/* The running CRC is all of that driver's state. */
	*(u32 *)shash_desc_ctx(desc) = crc;
	crypto_shash_update(desc, data, len);
	return *(u32 *)shash_desc_ctx(desc);
}
EXPORT_SYMBOL_GPL(xrdma_crc32_le);

#else

void xrdma_crc_init(void)
{
}

void xrdma_crc_exit(void)
{
}

#endif
