/**
 * The quota of a project at the IPFS node, and its usage.
 *
 * - `stored` counts pinned content: for each project and CID once, however often it was pinned. A recursive pin
 *   counts the cumulative size of its DAG: the bytes of its block, and again those of everything that it links to, as
 *   often as it is linked to; for files and directories that is the `Size` in the answer of `add`. A direct pin counts
 *   its block. If two projects pin the same content, each counts it. Unpinned content is not counted.
 * - `uploaded` counts the bytes of files sent to be added, of blocks, of data and of CARs, also of uploads that then
 *   fail or are cut. An upload that this quota refuses counts nothing, so that of many simultaneous uploads as many
 *   pass as fit.
 * - `downloaded` counts the bytes handed out: of files, blocks, data and CARs. Listings and sizes are not counted.
 *
 * The last two are counted by day, which begins at midnight UTC.
 */

/** Bounds in bytes. An absent bound means no limit. */
export interface Limits {
  /** Maximum number of bytes pinned at a time. */
  readonly stored?: number | undefined
  /** Maximum number of bytes sent in a day. */
  readonly uploaded?: number | undefined
  /** Maximum number of bytes read in a day. */
  readonly downloaded?: number | undefined
}

/**
 * The bytes sent and read on one day.
 */
export interface Transfers {
  /** The day by UTC, such as `2026-11-21`. */
  readonly day: string
  readonly uploaded: number
  readonly downloaded: number
}

/**
 * The usage of a project now and today.
 */
export interface Usage extends Transfers {
  /** The size of its pins in bytes. */
  readonly stored: number
  /** The number of its pins, recursive and direct. */
  readonly pins: number
}
