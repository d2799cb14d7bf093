import { assert, it } from "@effect/vitest"
import * as ipfsClient from "@plumbline/ipfs-client"

it("exports these names and no others", () => {
  const names = Object.entries(ipfsClient).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`.trimEnd()
  )
  assert.deepStrictEqual(names, [
    "Block: DAG_CBOR DAG_JOSE DAG_JSON DAG_PB ETH_BLOCK ETH_STATE_TRIE ETH_STORAGE_TRIE MAX_KEYS MAX_LINKS MAX_NESTING MAX_VALUES RAW check checkEffect cidOf codecs decode defaults links linksEffect",
    "BlockSource: fromBlocks get",
    "Car: CarError UnexpectedBlock collect dag defaults encode read",
    "Cid: CidError CidText MAX_LENGTH MAX_SIZE asCid baseOf equals firstOf fromBytes fromText fromTextUnsafe isBytes isCidText key make makeV0 toText toV1",
    "CidForms: bases codecs formatter hashes inspect supportedCodecs",
    "Client:",
    "Command: argument bool bytes duration file int json lines local make string uint",
    "Dag: resolve walk",
    "DagCodec: Float Text convert decode encode isName parseJson plain",
    "DagError: LimitExceeded MalformedBlock MissingBlocks NoSuchEntry WrongKind",
    "DagLists: DagCount depthOf written",
    "DagSelection: blocks defaults",
    "DagPbObject: data get getEffect putEffect stat statEffect text",
    "DirectoryCid: SHARDING_SIZE defaults make symlink",
    "FileCid: KUBO_V1 UNIXFS_V0_2015 UNIXFS_V1_2025 blocks blocksOfChunks defaults ofStream single",
    "IpfsApi: BASE_PATH commands find globals",
    "IpfsClient: IpfsClient defaults layer layerFetch make",
    "IpfsError: DecodeError EncodeError FailedError ForbiddenError IpfsError LengthError MalformedError NotAllowedError ProtocolError Reason StreamError TimeoutError TransportError UnauthorizedError UnknownCommandError",
    "IpfsKubo: layer make",
    "IpfsNode: IpfsNode",
    "IpfsNodeError: Damaged Failed InvalidRequest IpfsNodeError Malformed NoLink NotFound NotSupported PinRefused QuotaExceeded Reason StorageFull TimedOut WrongKind fromBlockError",
    "NodePath: refs resolve resolveBlock valueOf write",
    "NodeReads: make",
    "IpfsPath: IpfsPath IpfsPathError MAX_LENGTH fromText fromTextUnsafe lastName make split toText",
    "IpfsReason: AddNotComputed DigestTooLong DigestTooShort IdentityTooLong IpnsName NoCar NodesOwnTree NotHashed OtherEncoding StoreNotComputed UnknownHash UnreadableCodec",
    "Multihash: BLAKE2B_256 BLAKE3 IDENTITY KECCAK_256 MAX_IDENTITY_SIZE MIN_DIGEST_SIZE SHA2_256 SHA2_512 codes digest digestEffect digestOf inlined",
    "PinName: MAX_BYTES flaw flawOfAdd",
    "ProvenIpfsClient: defaults layer make",
    "WorkScheduler: Scheduler run sorted",
    "TarHeader: END header padding",
    "UnixFs: cat defaults entries resolve stat",
    "UnixFsData: decode encode",
    "Upload:",
    "UploadTrees: make",
    "WalkStack: MAX_HELD_BYTES WalkStack"
  ])
})
