/**
 * The fixtures of 5-ipfs that apply to an IPFS client: CIDs of files and directories, CARs, and blocks of every codec.
 */
import { addVectors } from "./ipfs/addVectors.ts"
import { blocks } from "./ipfs/blocks.ts"
import { cars } from "./ipfs/cars.ts"
import { conformance } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

conformance("IPFS", () => {
  const tally = Tally.make("5-ipfs")
  addVectors(tally)
  blocks(tally)
  cars(tally)
})
