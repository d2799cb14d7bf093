/** Functions that several standards have, with the same names of their arguments. */

export const name = {
  type: "function",
  name: "name",
  stateMutability: "view",
  inputs: [],
  outputs: [{ type: "string", name: "" }]
} as const

export const symbol = { ...name, name: "symbol" } as const

export const totalSupply = {
  type: "function",
  name: "totalSupply",
  stateMutability: "view",
  inputs: [],
  outputs: [{ type: "uint256", name: "" }]
} as const

export const balanceOf = {
  type: "function",
  name: "balanceOf",
  stateMutability: "view",
  inputs: [{ type: "address", name: "owner" }],
  outputs: [{ type: "uint256", name: "" }]
} as const

/** EIP-165. */
export const supportsInterface = {
  type: "function",
  name: "supportsInterface",
  stateMutability: "view",
  inputs: [{ type: "bytes4", name: "interfaceId" }],
  outputs: [{ type: "bool", name: "" }]
} as const
