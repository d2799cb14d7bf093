/** The reasons that this package gives for content that is not proven. */
import * as Reason from "@plumbline/verdict/Reason"

/** The hash function of a multihash is unknown, or too weak to prove anything. */
export const UnknownHash: Reason.Kind<"UnknownHash", { readonly code: number }> = /* @__PURE__ */ Reason.kind(
  "UnknownHash",
  ({ code }) => `the hash function 0x${code.toString(16)} cannot prove content`
)

/** A digest of so few bytes can be forged. */
export const DigestTooShort: Reason.Kind<"DigestTooShort", { readonly size: number }> = /* @__PURE__ */ Reason.kind(
  "DigestTooShort",
  ({ size }) => `a digest of ${size} bytes proves nothing`
)

/** The hash function gives fewer bytes than the digest has. */
export const DigestTooLong: Reason.Kind<"DigestTooLong", { readonly code: number; readonly size: number }> =
  /* @__PURE__ */ Reason.kind(
    "DigestTooLong",
    ({ code, size }) => `the hash function 0x${code.toString(16)} has no ${size} bytes`
  )

/** The bytes are more than an identity multihash may hold. */
export const IdentityTooLong: Reason.Kind<"IdentityTooLong", { readonly limit: number }> = /* @__PURE__ */ Reason.kind(
  "IdentityTooLong",
  ({ limit }) => `an identity hash holds at most ${limit} bytes`
)

/** The bytes are more than a block may have, so they were not hashed. Blocks of any size have CIDs. */
export const NotHashed: Reason.Kind<"NotHashed", { readonly size: number; readonly limit: number }> =
  /* @__PURE__ */ Reason.kind(
    "NotHashed",
    ({ limit, size }) => `${size} bytes, which is more than ${limit}, were not hashed`
  )

/** This package cannot read the codec of the CID, or the codec holds no files and a file was requested. */
export const UnreadableCodec: Reason.Kind<
  "UnreadableCodec",
  { readonly code: number; readonly reading: "values" | "files" }
> = /* @__PURE__ */ Reason.kind(
  "UnreadableCodec",
  ({ code, reading }) =>
    `the codec 0x${code.toString(16)} is not one ${reading === "files" ? "of files" : "that can be read"}`
)

/** The path is an IPNS name, and only a node says which content it names. */
export const IpnsName: Reason.Kind<"IpnsName", {}> = /* @__PURE__ */ Reason.kind(
  "IpnsName",
  () => "an IPNS name, which only a node resolves"
)

/** The path is in the node's own tree of files, which no CID names. */
export const NodesOwnTree: Reason.Kind<"NodesOwnTree", {}> = /* @__PURE__ */ Reason.kind(
  "NodesOwnTree",
  () => "a path in the node's own tree, which no CID names"
)

/** An option of `add` with which CIDs are not computed here, either at all or with the given value. */
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

/** The CID of content that is added with this option is not computed here. */
export const AddNotComputed: Reason.Kind<"AddNotComputed", { readonly option: AddOption }> =
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

/** The CID of a block that is stored in this codec or with this hash function is not computed here. */
export const StoreNotComputed: Reason.Kind<"StoreNotComputed", {}> = /* @__PURE__ */ Reason.kind(
  "StoreNotComputed",
  () => "the CID of what is stored in this codec or by this hash is not computed here"
)

/** The node stored the data in another encoding than Kubo's, as programs in JavaScript do. */
export const OtherEncoding: Reason.Kind<"OtherEncoding", {}> = /* @__PURE__ */ Reason.kind(
  "OtherEncoding",
  () => "the node writes this data in another way than Kubo does"
)

/** The node named roots or sums for an import that is not a CAR. */
export const NoCar: Reason.Kind<"NoCar", { readonly said: "root" | "sums" }> = /* @__PURE__ */ Reason.kind(
  "NoCar",
  ({ said }) => `${said === "root" ? "a root" : "sums"} of what is not a CAR`
)
