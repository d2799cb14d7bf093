#!/bin/sh
# Installs the missing programs that tests start, from Debian's packages: Postgres, Redis, nginx, openssl for
# the certificates of nginx, sqlite3 and curl for the documented backups, Prometheus for the tool that tests alerts,
# and Chromium.
# Without root or apt-get, it prints the missing programs and fails.
set -u

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="postgresql"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
[ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v openssl >/dev/null 2>&1 || missing="$missing openssl"
command -v sqlite3 >/dev/null 2>&1 || missing="$missing sqlite3"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
command -v promtool >/dev/null 2>&1 || missing="$missing prometheus"
[ -x /usr/bin/chromium ] || [ -x /usr/bin/google-chrome ] || missing="$missing chromium"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "missing: $missing. As root: apt-get install $missing" >&2
  exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "missing: $missing. This system has no apt-get" >&2
  exit 1
fi

# These settings install only the programs: Debian would otherwise start a server at once.
export DEBIAN_FRONTEND=noninteractive
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
apt-get update -qq || exit 1
# shellcheck disable=SC2086 # a list of names
RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $missing || exit 1
