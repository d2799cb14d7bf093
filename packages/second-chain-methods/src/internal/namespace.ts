/** The prefix of Starknet's method names. It stands alone, so that importing it does not load the methods. */
export const NAMESPACE = "starknet"
