/** The namespace of Starknet's methods, in a separate module, so that importing it does not load the methods. */

/** The prefix of Starknet's method names. */
export const NAMESPACE = "starknet"
