/** How large a file may be that is added. */
import { NotSupported } from "../IpfsNodeError.ts"
import { failure } from "./ipfsFailure.ts"

/**
 * `ipfs-unixfs-importer` writes sizes from 2^31 to 2^32 - 1 wrongly (protons-runtime 7.1), so that the CID would not be
 * Kubo's and nobody could read the file: see decision 10. Better none than that.
 */
export const MAX_FILE_SIZE = 2 ** 31 - 1

/** The same bytes, until they are too many. */
export async function* limited(content: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of content) {
    size += piece.length
    if (size > limit) throw failure(new NotSupported({ what: `files of more than ${limit} bytes` }))
    yield piece
  }
}
