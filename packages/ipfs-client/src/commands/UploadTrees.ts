/**
 * Splits an upload into trees, as Kubo does.
 *
 * Without a wrapping directory, each name at the top is a tree of its own. A tree ends with the first entry that is not
 * below its name. If the name comes again later, a new tree begins: the directory is then reported again, with the later
 * entries alone.
 *
 * Source: kubo 0.43 `core/commands/add.go`; boxo `files/multipartfile.go`.
 */

/** Returns true if a path begins a new tree. Call it once for each entry, in order. */
export type BeginsTree = (path: string | undefined) => boolean

/**
 * Makes the function that recognises the first entry of each tree. In a wrapping directory only the first entry begins
 * a tree.
 *
 * ```ts import.meta.vitest
 * import { UploadTrees } from "@plumbline/ipfs-client"
 *
 * const paths = ["d", "d/f", "a", "d/g"]
 * paths.map(UploadTrees.make(false)) // => [true, false, true, true]
 * paths.map(UploadTrees.make(true)) // => [true, false, false, false]
 * ```
 */
export const make = (isWrapped: boolean): BeginsTree => {
  let prefix: string | undefined
  return (path = "") => {
    const isWithin = prefix !== undefined && path.startsWith(prefix)
    if (!isWithin) prefix = isWrapped ? "" : `${path.split("/", 1)[0]!}/`
    return !isWithin
  }
}
