/** Contracts of the embedded chains, for readers who want to see a screen before they have an address. */

/** The addresses of a chain's contracts, in lower case. */
export interface ExampleContracts {
  /** A contract with a variable of each kind. The console has its layout, and that of the token. */
  readonly cabinet: string
  /** An ERC-20 token. */
  readonly token: string
}

const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3"

/** The chains, by the network's name. A development chain of a reader can have the same id, and other contracts. */
const CHAINS: ReadonlyMap<string, ExampleContracts & { readonly chainId: number }> = new Map([
  ["live", { chainId: 31337, cabinet: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6", token: TOKEN }],
  ["history", { chainId: 7771, cabinet: "0x09635f643e140090a9a8dcd712ed6285858cebef", token: TOKEN }]
])

/** Returns the contracts of a network; undefined if it is not an embedded chain. */
export const of = (
  network: { readonly name: string; readonly chainId: number | string } | undefined
): ExampleContracts | undefined => {
  const chain = network && CHAINS.get(network.name)
  return chain?.chainId === network?.chainId ? chain : undefined
}
