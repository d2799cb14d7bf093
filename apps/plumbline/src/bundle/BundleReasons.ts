import * as Evidence from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"

/** The blocks of a bundle are proven from the hash of the chain's block. */
export const Blocks = Evidence.kind(
  "Blocks",
  ({ blocks, of }: { readonly blocks: number; readonly of: string }) =>
    `${blocks} blocks of the data of block ${of}, by their hashes`
)

/** The bundle names the keys of mappings that lead to the slots of the words. */
export const Keys = Evidence.kind(
  "Keys",
  () => "the keys of mappings that the bundle names: they hash to the slots of the words"
)

/** The blocks of a bundle were sent to a node of IPFS. */
export const Sent = Evidence.kind(
  "Sent",
  () => "every block that was sent: it hashes to its CID, and links lead to it from the block's hash"
)

/** The command computed the CID of the list that names the bundle's blocks. */
export const ListCid = Evidence.kind("ListCid", () => "the CID of their list: computed here")

/** The node says that it keeps the bundle. */
export const Pinned = Reason.kind("Pinned", () => "that the node keeps it pinned is its word: no hash proves it")

/** The values of a call are decoded by the types that the bundle names. */
export const SignatureOfMaker = Reason.kind(
  "SignatureOfMaker",
  () => "the types of the result are those of the bundle's signature, which no hash proves; the bytes are proven"
)

/** The name and the arguments of a call's function are read by the signature that the bundle names. */
export const NameOfMaker = Reason.kind(
  "NameOfMaker",
  () => "the name and the arguments are those of the bundle's signature, which four bytes of the call's data fit"
)

/** The signature that the bundle names is not that of its call. */
export const OtherSignature = Reason.kind(
  "OtherSignature",
  () => "the bundle names a signature that does not fit the data of its call, so nothing is decoded"
)
