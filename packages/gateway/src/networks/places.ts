/** Names that take the place of a network's name. No network can have them. */

/** The network of IPFS commands, in allowlists and bills. */
export const IPFS_PLACE = "ipfs"
