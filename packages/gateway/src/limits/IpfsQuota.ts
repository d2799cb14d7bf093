/**
 * The quota of a project at the IPFS node, and its usage.
 *
 * - `stored` counts pinned content. Each project counts a CID once, even if it was pinned several times. A recursive
 *   pin counts the bytes of the blocks of its DAG, each block once, however often it is linked. Sizes that a DAG states
 *   about itself are not counted. A direct pin counts only its block. If two pins or two projects hold the same block,
 *   each counts it. Unpinned content is not counted.
 * - `uploaded` counts the bytes that callers send to be added: files, blocks, data and CARs. Uploads that fail or are
 *   cut off count too. An upload that this quota refuses is not counted, so simultaneous uploads can use the whole
 *   quota.
 * - `downloaded` counts the bytes of files, blocks, data and CARs sent to callers. Listings and sizes are not counted.
 *
 * `uploaded` and `downloaded` are counted per day. A day begins at midnight UTC.
 */

/** The limits of the quota, in bytes. An absent member means no limit. */
export interface IpfsQuotaLimits {
  /** Maximum number of bytes that are pinned at the same time. */
  readonly stored?: number | undefined
  /** Maximum number of bytes that are uploaded in a day. */
  readonly uploaded?: number | undefined
  /** Maximum number of bytes that are downloaded in a day. */
  readonly downloaded?: number | undefined
}

/**
 * The bytes uploaded and downloaded on one day.
 */
export interface IpfsTransfers {
  /** The day in UTC, such as `2026-11-21`. */
  readonly day: string
  readonly uploaded: number
  readonly downloaded: number
}

/**
 * The stored bytes of a project now, and its transfers of today.
 */
export interface IpfsQuotaUsage extends IpfsTransfers {
  /** Number of bytes that are pinned. */
  readonly stored: number
  /** Number of pins, recursive and direct. */
  readonly pins: number
}
