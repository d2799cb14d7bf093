/** Reserved names that appear in place of a network's name. No network can have them. */

/** The name of IPFS in place of a network, in allowlists and bills. */
export const IPFS_PLACE = "ipfs"
