/**
 * How much of the IPFS node a project may use, and what it has used.
 *
 * - `stored` counts what is pinned: for each project and CID once, however often it was pinned. A recursive pin counts the
 *   cumulative size of its DAG: the bytes of its block, and again those of everything that it links to, as often as it is
 *   linked to; for files and directories that is the `Size` which `add` says. A direct pin counts its block. Two projects
 *   that pin the same count it each. What is not pinned is not counted.
 * - `uploaded` counts the bytes of files sent to be added, of blocks, of data and of CARs, also of those that then fail or are
 *   cut. An upload that this quota refuses counts nothing, so that of many at the same time as many pass as fit.
 * - `downloaded` counts the bytes handed out: of files, blocks, data and CARs. Listings and sizes are not counted.
 *
 * The last two are counted by day, which begins at midnight UTC.
 *
 * @since 0.1.0
 */

/**
 * Bounds in bytes. What is absent is not bounded.
 *
 * @since 0.1.0
 */
export interface Limits {
  /** What may be pinned at a time. */
  readonly stored?: number | undefined
  /** What may be sent in a day. */
  readonly uploaded?: number | undefined
  /** What may be read in a day. */
  readonly downloaded?: number | undefined
}

/**
 * What was sent and read on one day, in bytes.
 *
 * @since 0.1.0
 */
export interface Transfers {
  /** The day by UTC, such as `2026-11-21`. */
  readonly day: string
  readonly uploaded: number
  readonly downloaded: number
}

/**
 * What a project uses now, and has used today.
 *
 * @since 0.1.0
 */
export interface Usage extends Transfers {
  /** Bytes of what is pinned. */
  readonly stored: number
  /** How many pins it has, recursive and direct ones. */
  readonly pins: number
}
