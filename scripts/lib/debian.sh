# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Debian's archive as this machine reaches it: other suites with folders of our
# own, from the mirrors the machine's own configuration names. The machine's
# package state is read, never changed.

debian_suites='bullseye|bookworm|trixie|forky|duke|oldstable|stable|testing|sid|unstable'

# mirror main|security: the URI this machine uses for it.
mirror()
{
	local uri
	case $1 in
	main)
		uri=${XRDMA_MIRROR:-$(configured_uri "^($debian_suites)\$")}
		[ -n "$uri" ] || die "apt is not configured for a Debian suite here; put a Debian mirror's address in XRDMA_MIRROR"
		;;
	security)
		uri=${XRDMA_SECURITY_MIRROR:-$(configured_uri "^($debian_suites)(-security|/updates)\$")}
		# By convention the two stand side by side on a mirror.
		[ -n "$uri" ] || uri=$(mirror main | sed 's,debian/*$,debian-security/,')
		;;
	esac
	printf '%s\n' "$uri"
}

# apt tells its sources in whatever format they are written in, and before any
# list was fetched: as 'URI/dists/SUITE/InRelease'.
configured_uri()
{
	apt-get update --print-uris |
		sed -nE "s,^'(.*)/dists/(.*)/InRelease'.*,\\2 \\1/,p" |
		awk -v suite="$1" '$1 ~ suite && !uri { uri = $2 } END { print uri }'
}

# A stable release of Debian knows the keys of the next one in its later point
# releases only.
keyring()
{
	local ring=/usr/share/keyrings/debian-archive-keyring.gpg
	if ! [ -e /usr/share/keyrings/debian-archive-trixie-stable.gpg ] &&
	   ! [ -e /usr/share/keyrings/debian-archive-trixie-stable.pgp ]; then
		once apt/keyring 1 fetch_keyring 1>&2
		ring=$CACHE/apt/keyring/usr/share/keyrings/debian-archive-keyring.gpg
	fi
	printf '%s\n' "$ring"
}

fetch_keyring()
{
	step "Fetching Debian's newer archive keys" fetch_keyring_quietly "$1"
}

fetch_keyring_quietly()
{
	local dir=$1
	printf 'deb %s bookworm main\n' "$(mirror main)" > "$dir/sources.list"
	private_apt "$dir" update &&
		(cd "$dir" && private_apt "$dir" download debian-archive-keyring) &&
		dpkg-deb -x "$dir"/debian-archive-keyring_*.deb "$dir"
}

# private_apt DIR ARG...: apt with DIR/sources.list and all its state in DIR.
private_apt()
{
	local dir=$1 program=apt-get
	shift
	case $1 in
	show | pkgnames | policy) program=apt-cache ;;
	esac
	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	"$program" -q \
		-o Dir::Etc::sourcelist="$dir/sources.list" \
		-o Dir::Etc::sourceparts=- \
		-o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=- \
		-o Dir::State::Lists="$dir/lists" \
		-o Dir::State::status=/dev/null \
		-o Dir::Cache="$dir" \
		-o Dir::Cache::archives="$dir/archives" \
		-o Dir::Cache::pkgcache="" -o Dir::Cache::srcpkgcache="" \
		-o APT::Architecture=amd64 -o APT::Architectures=amd64 \
		-o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false \
		-o Acquire::Retries=3 \
		"$@"
}

# The suites a source "bookworm", "trixie", "trixie-backports" or "sid" is made of.
source_lines()
{
	local signed main security
	signed="[signed-by=$(keyring) check-valid-until=no]"
	main=$(mirror main) security=$(mirror security)

	printf 'deb %s %s %s main\n' "$signed" "$main" "${1%-backports}"
	case $1 in
	sid)
		return
		;;
	*-backports)
		printf 'deb %s %s %s main\n' "$signed" "$main" "$1"
		;;
	esac
	printf 'deb %s %s %s-security main\n' "$signed" "$security" "${1%-backports}"
}

# open_source SOURCE: makes $CACHE/apt/SOURCE ready. A machine without the
# security archive goes without it.
open_source()
{
	local dir=$CACHE/apt/$1
	mkdir -p "$dir"
	source_lines "$1" > "$dir/sources.list" || exit
	private_apt "$dir" -o APT::Update::Error-Mode=any update && return
	sed -i '/-security/d' "$dir/sources.list"
	private_apt "$dir" -o APT::Update::Error-Mode=any update
}

# Of these packages, those that the source has.
existing_packages()
{
	local dir=$CACHE/apt/$1
	shift
	comm -12 <(printf '%s\n' "$@" | sort -u) <(private_apt "$dir" pkgnames | sort -u)
}

# make_root SOURCE DIR PACKAGES [MMDEBSTRAP-OPTION...]: a root folder in DIR.
make_root()
{
	local source=$1 dir=$2 packages=$3
	shift 3
	# The settings by which this machine's apt gets through to its mirror.
	apt-config dump | grep -E '^Acquire::(http|https|ftp|Check)' > "$CACHE/apt/$source/machine.conf"
	# In a mount namespace, so that an interrupted run leaves no mounts behind.
	unshare --mount --fork --kill-child \
		mmdebstrap --mode=root --variant=minbase --format=directory \
		--architectures=amd64 \
		--keyring="$(keyring)" \
		--aptopt="$CACHE/apt/$source/machine.conf" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Retries "3"' \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt=force-unsafe-io \
		--include="$(printf '%s' "$packages" | tr -s ' \n\t' ',' | sed 's/^,//; s/,$//')" \
		"$@" \
		"${source%-backports}" "$dir" "$CACHE/apt/$source/sources.list"
}
