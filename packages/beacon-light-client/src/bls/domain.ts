/** The domain separation tag of Ethereum's signatures. */

/** The tag of signatures in G2 with proofs of possession. */
export const DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"
