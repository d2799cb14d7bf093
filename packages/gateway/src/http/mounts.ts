/** Finds the mount for a request, and checks the paths of mounts. */
import type { Mount } from "./Mount.ts"

/**
 * Returns the mount whose path is the path of the target, or a parent of it. If there are several, the mount with the
 * longest path is returned.
 */
export const find = (mounts: ReadonlyArray<Mount>, target: string): Mount | undefined => {
  if (mounts.length === 0) return undefined
  const end = target.search(/[?#]/u)
  const path = end === -1 ? target : target.slice(0, end)
  let found: Mount | undefined
  for (const mount of mounts) {
    if (isWithin(path, mount.path) && mount.path.length > (found?.path.length ?? 0)) found = mount
  }
  return found
}

/** Returns the problem of invalid mounts; undefined if they are valid. */
export const flawOf = (mounts: ReadonlyArray<Mount>): string | undefined => {
  const paths = mounts.map(({ path }) => path)
  if (!paths.every((path) => /^(?:\/[A-Za-z0-9._~-]+)+$/u.test(path))) {
    return "a path must be such as /admin, and not end with /"
  }
  if (new Set(paths).size < paths.length) return "a path is used twice"
  if (paths.some((path) => OWN.some((own) => isWithin(path, own) || isWithin(own, path)))) {
    return `a path must be none of ${OWN.join(", ")}`
  }
  return undefined
}

const OWN = ["/v3", "/ws/v3", "/api/v0", "/health", "/ready", "/livez", "/readyz"]

const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`)
