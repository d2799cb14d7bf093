/** The oldest supported version of Node, as in `engines` of the manifest. */
export const OLDEST: readonly [major: number, minor: number] = [22, 19]

/** Returns the reason why a version of Node cannot run this program, in one line; undefined if it can. */
export const problem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldest, oldestMinor] = OLDEST
  if (major > oldest || (major === oldest && minor >= oldestMinor)) return undefined
  return `plumbline needs Node ${oldest}.${oldestMinor} or newer, and this is Node ${version}`
}
