/**
 * The known differences between the embedded node and Kubo 0.43.0, intended or not yet removed. Each entry has the rows
 * that differ, the places in the values of these rows, and the reason.
 *
 * `pnpm kubo` fails if a difference has no entry, or if the difference of an entry no longer occurs.
 */
import type { Difference } from "./comparedRow.ts"

export interface Known {
  readonly rows: RegExp
  /** Places within the compared values, as `differences` names them. */
  readonly at: RegExp
  readonly because: string
}

const ALL = /./u

export const known: ReadonlyArray<Known> = [
  {
    rows: ALL,
    at: /(?:^|\.)(?:Message|trailer|text)$/u,
    because: "errors have words of their own where clients do not look for Kubo's; status and code are compared"
  },
  {
    rows: /^gateway/u,
    at: /^cache-control$/u,
    because: "the answer is for the holder of a key; one without a key is public, as at Kubo"
  },
  {
    rows: /^gateway: FILE\?format=raw, range: .*if-range: (?:W|"other)/u,
    at: /^(?:isWhole|bytes)$/u,
    because: "an If-Range that does not match gives the whole block; Kubo says so, and then begins at the range"
  },
  {
    rows: /^gateway: bafkrei\w+\?format=car/u,
    at: /^(?:status|thrown)$/u,
    because: "a root that is not here is 404, as specified; Kubo answers 200 with bytes that are not a CAR"
  },
  {
    rows: /^gateway: CBOR\/list/u,
    at: /^x-ipfs-roots$/u,
    because: "the names within one block have one root together; Kubo repeats the block for each name"
  },
  {
    rows: /^gateway: .*format=car&entity-bytes/u,
    at: /^blocks/u,
    because: "entity-bytes implies dag-scope=entity, as specified; Kubo takes all blocks"
  },
  {
    rows: /symlink|as (?:it is|they are) read|^read: (?:ls|files\/stat)/u,
    at: /(?:Mode|Size)$/u,
    because:
      "a symlink has no mode and no size; Kubo says Go's own mode, 01000000777 and the like, and the length of the target"
  },
  {
    rows: /^(?:the attributes|mode=|a tree,|a symlink,|read: get)|: get\?/u,
    at: /(?:bytes|x-content-length|text|content-type)$/u,
    because:
      "archives have the same entries in other bytes; X-Content-Length is how long they are, where Kubo says how long the content is"
  },
  {
    rows: /hash=(?:SHA2-256|sha1|identity|md5|murmur)|mhtype=(?:sha1|md5)|hash=sha1$/u,
    at: ALL,
    because: "hash functions are named in lower case, and broken or trivial ones are refused"
  },
  {
    rows: /cid-version=-1|inline-limit=-1/u,
    at: ALL,
    because: "numbers below zero are refused; Kubo takes them for others"
  },
  { rows: /chunker=buzhash/u, at: ALL, because: "the chunker buzhash is not supported" },
  {
    rows: /chunker=rabin-(?:0|20|47)$/u,
    at: ALL,
    because: "Kubo subtracts the window from a shorter minimum, which wraps around: a file of any size is one block"
  },
  { rows: /^add: progress of an empty/u, at: /Bytes$/u, because: "zero bytes are said; Kubo leaves them out" },
  {
    rows: /^add: (?:empty-dirs|max-directory-links|to-files)/u,
    at: ALL,
    because: "the option is not supported, which is said"
  },
  {
    rows: /^read: cat\?arg=\/ipfs\/DIR\/\//u,
    at: ALL,
    because: "paths are strict: no empty name"
  },
  { rows: /^read: cat\?arg=DIR\/link/u, at: ALL, because: "cat of a symlink is an error; Kubo gives its target" },
  {
    rows: /encoding=xml|with (?:XML|text)|with an encoding/u,
    at: ALL,
    because: "answers are JSON; XML and text are refused"
  },
  {
    rows: /timeout=nonsense/u,
    at: ALL,
    because: "a time that is none is refused; Kubo answers 200 and nothing, by mistake"
  },
  {
    rows: /^read: (?:ls.*long|files\/stat.*with-local)/u,
    at: ALL,
    because: "the option is not supported, which is said"
  },
  { rows: /^read: files\/stat\?arg=DIR$/u, at: ALL, because: "a CID is a path; Kubo looks in its own tree" },
  { rows: /^read: object\//u, at: ALL, because: "Kubo dropped the object commands in 0.28; they are served here" },
  {
    rows: /output-codec=(?:raw|json|cbor)$/u,
    at: ALL,
    because: "nodes are given in dag-json, dag-cbor, dag-pb; what is not bytes is not given raw"
  },
  {
    rows: /^a (?:file|directory) without .*: (?:cat|get|ls)/u,
    at: ALL,
    because:
      "what is missing is seen before the first byte where it can be; ls looks at every entry, and Kubo at none of a file's parts"
  },
  {
    rows: /^data with a link to nothing: (?:ls|cat|get|files)/u,
    at: ALL,
    because: "what is not a file is an error; Kubo lists data as one"
  },
  {
    rows: /^a directory without .*: dag\/export/u,
    at: ALL,
    because: "a CAR is cut at the same place, with other words"
  },
  {
    rows: /^block\/put: (?:cid-codec|format)=/u,
    at: ALL,
    because:
      "both options take old and new names of codecs, cbor and protobuf in their old meaning; only codecs of the table are known"
  },
  {
    rows: /^block\/put: format and cid-codec/u,
    at: ALL,
    because: "two options for one thing are refused"
  },
  {
    rows: /no part|without parts|another boundary|without a body$/u,
    at: ALL,
    because: "an upload without parts is the client's mistake: 400"
  },
  {
    rows: /^(?:dag\/export|block\/get) CID\//u,
    at: ALL,
    because: "a path that leads to a value within a block names no block; Kubo gives the block around it"
  },
  { rows: /CID\/a\/b\/01$/u, at: ALL, because: "01 is not an index of a list" },
  { rows: /^cat CID/u, at: ALL, because: "what is not a file is an error" },
  {
    rows: /^dag\/import .*(?:silent|local-only)/u,
    at: ALL,
    because: "silent says nothing; local-only is not supported with pins"
  },
  {
    rows: /^dag\/import a CAR (?:with something behind|of nothing|of its head|without|with a wrong|that is)/u,
    at: ALL,
    because: "a CAR that is not whole is refused; Kubo takes what it can read"
  },
  {
    rows: /^walk: block\/rm/u,
    at: /Error$/u,
    because: "errors have words of their own where clients do not look for Kubo's"
  },
  {
    rows: /^block\/rm: a block that is not pinned/u,
    at: /Error$/u,
    because: "projects share blocks, so none of them removes a block that another may be about to pin"
  },
  { rows: /^cid\/bases/u, at: /^codes/u, because: "identity is not listed, because its texts are not UTF-8" },
  { rows: /^pin\/add with a progress/u, at: ALL, because: "how far a pin is is not known" },
  {
    rows: /^request (?:of|from|with)/u,
    at: /json\.(?:Version|Golang|Commit|System|Repo|ID|PublicKey|Addresses|AgentVersion|Protocols)/u,
    because: "it is another program, with a key of its own"
  },
  { rows: /with pin=tRUE/u, at: ALL, because: "only the forms of Go's ParseBool are taken; Kubo takes this one too" },
  {
    rows: /^request with a (?:mode|time) (?:that is none|of nine)/u,
    at: ALL,
    because: "attributes that are not numbers are refused; Kubo passes them over"
  },
  {
    rows: /cid-base that is none|cid-base=base10/u,
    at: ALL,
    because: "a base that is not known is the client's mistake: 400"
  },
  {
    rows: /^request with a file that is gzip/u,
    at: ALL,
    because: "a body that says that it is compressed is refused; Kubo stores it as it is"
  },
  { rows: /^request with two arguments/u, at: ALL, because: "an argument too many is refused; Kubo passes it over" },
  {
    rows: /^dag\/put (?:2\^6|-2\^63 - 1|cbor of -?2\^64)/u,
    at: ALL,
    because: "numbers go as far as CBOR's; Kubo's end at 2^63 in JSON, and it makes 0 of -2^64"
  },
  {
    rows: /^dag\/put (?:half an object|cbor that is cut)/u,
    at: ALL,
    because: "what is cut is refused; Kubo answers 200 and nothing"
  },
  {
    rows: /^dag\/put .*minus zero.* dag-json$/u,
    at: /^get/u,
    because: "-0.0 is shown as it is stored; Kubo reads it as 0"
  },
  { rows: /^dag\/put .* to dag-pb$/u, at: /^get/u, because: "a node without Data has none; Kubo shows null" },
  {
    rows: /^dag\/put (?:cbor of a tag|a slash and more)/u,
    at: ALL,
    because: "tags but that of links, and keys beside a reserved slash, are refused as the specifications say"
  },
  {
    rows: /^dag\/put cbor of text that is not UTF-8/u,
    at: /^get/u,
    because: "what is not UTF-8 is shown with an escape"
  },
  {
    rows: /^dag\/put .*(?:[, ]json|[, ]cbor) to |^dag\/put .* to (?:json|cbor|git-raw)$/u,
    at: ALL,
    because: "plain JSON and CBOR, and git, are read and not written"
  },
  { rows: /^dag\/put: hash=sha1/u, at: ALL, because: "hash functions that are broken are refused" },
  { rows: /^dag\/put: (?:two parts|the second part)/u, at: ALL, because: "each part is stored as it comes" }
]

/** Returns the entries that name a difference. */
export const naming = (row: string, { at }: Difference): ReadonlyArray<Known> =>
  known.filter((entry) => entry.rows.test(row) && entry.at.test(at))
