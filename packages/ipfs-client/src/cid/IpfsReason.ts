/** The reasons that this package gives for content that is not proven. */
import * as Reason from "@plumbline/verdict/Reason"

/** The hash function of a multihash is unknown, or too weak to prove anything. */
export const UnknownHash: Reason.ReasonKind<"UnknownHash", { readonly code: number }> = /* @__PURE__ */ Reason.kind(
  "UnknownHash",
  ({ code }) => `the hash function 0x${code.toString(16)} cannot prove content`
)

/** The digest has so few bytes that it can be forged. */
export const DigestTooShort: Reason.ReasonKind<"DigestTooShort", { readonly size: number }> =
  /* @__PURE__ */ Reason.kind("DigestTooShort", ({ size }) => `a digest of ${size} bytes proves nothing`)

/** The digest has more bytes than the hash function returns. */
export const DigestTooLong: Reason.ReasonKind<"DigestTooLong", { readonly code: number; readonly size: number }> =
  /* @__PURE__ */ Reason.kind(
    "DigestTooLong",
    ({ code, size }) => `the hash function 0x${code.toString(16)} has no ${size} bytes`
  )

/** The data has more bytes than an identity multihash may hold. */
export const IdentityTooLong: Reason.ReasonKind<"IdentityTooLong", { readonly limit: number }> =
  /* @__PURE__ */ Reason.kind("IdentityTooLong", ({ limit }) => `an identity hash holds at most ${limit} bytes`)

/** The block has more bytes than the limit, so it was not hashed. A CID can name a block of any size. */
export const NotHashed: Reason.ReasonKind<"NotHashed", { readonly size: number; readonly limit: number }> =
  /* @__PURE__ */ Reason.kind(
    "NotHashed",
    ({ limit, size }) => `${size} bytes, which is more than ${limit}, were not hashed`
  )

/** This package cannot read the codec of the CID, or the codec holds no files and a file was requested. */
export const UnreadableCodec: Reason.ReasonKind<
  "UnreadableCodec",
  { readonly code: number; readonly reading: "values" | "files" }
> = /* @__PURE__ */ Reason.kind(
  "UnreadableCodec",
  ({ code, reading }) =>
    `the codec 0x${code.toString(16)} is not one ${reading === "files" ? "of files" : "that can be read"}`
)

/** The path is an IPNS name, whose target only a node can state. */
export const IpnsName: Reason.ReasonKind<"IpnsName", {}> = /* @__PURE__ */ Reason.kind(
  "IpnsName",
  () => "an IPNS name, which only a node resolves"
)

/** The path is in the node's own file tree (MFS), which no CID names. */
export const NodesOwnTree: Reason.ReasonKind<"NodesOwnTree", {}> = /* @__PURE__ */ Reason.kind(
  "NodesOwnTree",
  () => "a path in the node's own tree, which no CID names"
)

/**
 * An option of `add` for which this package cannot compute CIDs. It supports no value of the option, or it does not
 * support the given value.
 */
export type AddOption =
  | "nocopy"
  | "preserveMode"
  | "preserveMtime"
  | "mode"
  | "mtime"
  | "mtimeNsecs"
  | "maxDirectoryLinks"
  | "hash"
  | "chunker"
  | "maxFileLinks"
  | "maxHamtFanout"
  | "inlineLimit"

/** This package does not compute the CID of content that is added with this option. */
export const AddNotComputed: Reason.ReasonKind<"AddNotComputed", { readonly option: AddOption }> =
  /* @__PURE__ */ Reason.kind(
    "AddNotComputed",
    ({ option }) => `the CID of what is added with ${nameOf(option)} is not computed here`
  )

const nameOf = (option: AddOption): string => {
  switch (option) {
    case "hash":
      return "this hash function"
    case "chunker":
      return "this chunker"
    case "maxFileLinks":
      return "so many links"
    case "maxHamtFanout":
      return "such shards"
    case "inlineLimit":
      return "such an inline-limit"
    default:
      return option
  }
}

/** This package does not compute the CID of a block that is stored in this codec or with this hash function. */
export const StoreNotComputed: Reason.ReasonKind<"StoreNotComputed", {}> = /* @__PURE__ */ Reason.kind(
  "StoreNotComputed",
  () => "the CID of what is stored in this codec or by this hash is not computed here"
)

/** The node stored the data in an encoding that differs from Kubo's, as JavaScript nodes do. */
export const OtherEncoding: Reason.ReasonKind<"OtherEncoding", {}> = /* @__PURE__ */ Reason.kind(
  "OtherEncoding",
  () => "the node writes this data in another way than Kubo does"
)

/** The node returned roots or totals for an import that is not a CAR. */
export const NoCar: Reason.ReasonKind<"NoCar", { readonly said: "root" | "sums" }> = /* @__PURE__ */ Reason.kind(
  "NoCar",
  ({ said }) => `${said === "root" ? "a root" : "sums"} of what is not a CAR`
)
