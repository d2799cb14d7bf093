/** The popular clients that have a suite here. */
import { ethers } from "./ethers.ts"
import type { Library } from "./library.ts"
import { viem } from "./viem.ts"
import { web3 } from "./web3.ts"

export const libraries: ReadonlyArray<Library> = [viem, ethers, web3]
