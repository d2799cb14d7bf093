/** Every target of `pnpm lab fuzz`. */
import * as Eth from "./eth/targets.ts"
import * as Ipfs from "./ipfs/targets.ts"
import * as LightClient from "./lightClient/targets.ts"
import * as SecondChain from "./secondChain/targets.ts"
import type { Target } from "./target.ts"

export const targets: ReadonlyArray<Target> = [
  ...Eth.targets,
  ...SecondChain.targets,
  ...Ipfs.targets,
  ...LightClient.targets
]
