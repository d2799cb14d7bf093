/** Checks IPLD data in every codec: the CIDs that Kubo returns, and the data that it refuses. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { fresh, reasonOf, utf8 } from "../support/ipfs.ts"

/** The CIDs that Kubo 0.43.0 returns for the text and `dag/put?input-codec=dag-json&store-codec=<codec>`. */
const KUBO: ReadonlyArray<readonly [text: string, storeCodec: string, cid: string]> = [
  ['{"a":1.0}', "dag-cbor", "bafyreifs2olxiewfjhsszcpgoa4jd3t4eduvyp4bvukn7sjisbjt4fn3k4"],
  ['{"a":1.0}', "dag-json", "baguqeeraafnl2724yv5c3wklowipaswybbbhhec64m7mltv6vzrco2ux7bra"],
  ['{"a":1.5}', "dag-cbor", "bafyreic6v65kiate4qj6lsdjvf2qjul5frowyn4kgtjp7fpbm7jjfz4mfm"],
  ['{"a":1.5}', "dag-json", "baguqeerahmoliczcsm6yh2jef6fmojhrctmbfxouteezc6zwkn24es3jurkq"],
  ['{"a":1e3}', "dag-cbor", "bafyreicarofaei525d7bvjs2iku76g6nnejfnw2fkosqbjv37bpvj7n7vq"],
  ['{"a":1e3}', "dag-json", "baguqeeravrixm6ms4pfqg4v5fypwakwfrov4zsc5aodromlzbuevbyvxlziq"],
  ['{"a":1e100}', "dag-cbor", "bafyreihx4hl6dvm7zlkbqi2xffpavrvvloh6ufwpbdr3ynqxseo54vlyeu"],
  ['{"a":1e100}', "dag-json", "baguqeeraq4xdksif4fj32ohhmia6i3dkvkucjrnqt35juknvfxjyesnj3qiq"],
  ['{"a":0.0}', "dag-cbor", "bafyreicjsfd5mj3criuby2nwljhzszhawfzxddqefvg2j3rv4fg64ix3jy"],
  ['{"a":0.0}', "dag-json", "baguqeeraiw3bt2l3lwnqfgxukixj76yc7km76k7se3ec5yrkptaqe2nfk7ua"],
  ['{"a":-0.0}', "dag-cbor", "bafyreidl4wfx6levhu23irmhpw7gzcxwpajugji4k4skvtx6524sjni2mm"],
  ['{"a":-0.0}', "dag-json", "baguqeera3plidzjzvulr5wil7yfybn4ieafsrjtjxcdlq2dalrj7whxjvfra"],
  ['{"a":5e-324}', "dag-cbor", "bafyreigbykquejdt7uxvldkuxywdzv2khxfwsh6jei475jmrw4x2hta5xy"],
  ['{"a":5e-324}', "dag-json", "baguqeeraoslpewmuvb262qtjaacjpqpczth6kxiknqqhrns3glxpe4anoufa"],
  ['{"a":9007199254740993}', "dag-cbor", "bafyreib3uumhnabepjokqmepsa3votrg4a2k6yjbv2tqg73ovvy6yiik7q"],
  ['{"a":9007199254740993}', "dag-json", "baguqeera2ue56z7whhgmou4kbzjncso6noe6tkj6c3jvack3wrdysv7ucdfa"],
  ['{"a":9223372036854775807}', "dag-cbor", "bafyreihpfojwp2pbkkfrhel533opsirvh5th67gvzaq5gryai2hvzksmg4"],
  ['{"a":9223372036854775807}', "dag-json", "baguqeeraaimxjzjdmgtphozge4ep7yyrtqtevnnms77kh4qdmt7ojw4sgr6a"],
  ['{"a":-9223372036854775808}', "dag-cbor", "bafyreiejn3od72bmwpx2ahylmrixklds5uordemol4kxgx5lywx3aoocgm"],
  ['{"a":-9223372036854775808}', "dag-json", "baguqeera3dumz4ppbutnbxrog65upnoyoy46yp5qxmozeusqhs3k5xuz64ka"],
  ['{"bb":1,"a":2,"ccc":3}', "dag-cbor", "bafyreigr5s2gmfujxtx5wjgit6fy5zmkspz7pknzgg455svmvgipqw4kvq"],
  ['{"bb":1,"a":2,"ccc":3}', "dag-json", "baguqeera4kkctgkrytigrpygkn6kwoc6ezprqs4ndy4ht2pfosdbho7jeftq"],
  ['{"/":{"bytes":"AQID"}}', "dag-cbor", "bafyreibmouk2xbsme67iij6p4mwuxkeq4hlvejmewscud6fnyoh7ea2uqm"],
  ['{"/":{"bytes":"AQID"}}', "dag-json", "baguqeerazegsaxts6udfbnrlurxaqfs3tal73grqrcobyz6ojsg7frxnqlga"],
  [
    '{"l":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"}}',
    "dag-cbor",
    "bafyreidim76jo7l5ihtaosriv6xx2h6rjyi356ft745vnwz2vmetapug74"
  ],
  [
    '{"l":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"}}',
    "dag-json",
    "baguqeeraptkr6ptmlkjfcvnntghteq6bfi5ufj5ioidhp3twk3jfjrnq5csa"
  ],
  [
    '{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"},"Name":"n","Tsize":3}]}',
    "dag-pb",
    "bafybeigzmxzmexw32ba62byzen7vgudvq2afv3ddgp7ydgkgfl3g4gdt3a"
  ],
  [
    '{"Links":[{"Hash":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"},"Name":"z","Tsize":3},{"Hash":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"},"Name":"a","Tsize":3}]}',
    "dag-pb",
    "bafybeibkyui53tixvhdfey44j46coudvk4yqe4vwd3xapxec3vrs53lfwi"
  ],
  ['{"Links":[]}', "dag-pb", "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"],
  [
    '{"Links":[{"Hash":{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"}}]}',
    "dag-pb",
    "bafybeicgqbroavjgyyjdgkcmf7ojxe4wxpwul2suexgpu67dlzpn4cndb4"
  ]
]

it.live("dag/put gives Kubo's CIDs, with the kinds of numbers that the text has", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      for (const [text, storeCodec, cid] of KUBO) {
        assert.strictEqual(String(yield* node.dagPut(utf8(text), { storeCodec })), cid, `${text} in ${storeCodec}`)
      }
    })
  )
)

it.live("dag/put refuses what dag-pb and raw have no form for, where Kubo does", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { behind, node } = yield* fresh
      const link = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
      for (const text of [
        '{"x":1}',
        "{}",
        "1",
        "null",
        '"text"',
        "[]",
        '{"Data":{"/":{"bytes":"CAE"}}}',
        '{"Data":"CAE","Links":[]}',
        '{"Data":{"/":{"bytes":"CAE"}},"Links":[],"x":1}',
        '{"Links":[{"Name":"n","Tsize":3}]}',
        `{"Links":[{"Hash":{"/":"${link}"},"Name":"n","Tsize":-3}]}`,
        `{"Links":[{"Hash":{"/":"${link}"},"Name":"n","Tsize":3,"x":1}]}`
      ]) {
        assert.strictEqual(
          (yield* reasonOf(node.dagPut(utf8(text), { storeCodec: "dag-pb" })))._tag,
          "InvalidRequest",
          text
        )
        assert.strictEqual(
          (yield* reasonOf(node.dagPut(utf8(text), { storeCodec: "raw" })))._tag,
          "InvalidRequest",
          text
        )
      }
      assert.strictEqual((yield* behind.repoStat).blocks, 0)
    })
  )
)

it.live("a whole float is a float in what is read of it, and no map", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const cid = String(yield* node.dagPut(utf8('{"a":{"b":2.0}}')))
      // the float 2.0 in 64 bits, after the head of such a float (RFC 8949)
      const float = Buffer.from("fb4000000000000000", "hex")
      assert.deepStrictEqual(Buffer.from(yield* node.dagGet(`${cid}/a/b`, "dag-cbor")), float)
      assert.strictEqual((yield* reasonOf(node.dagGet(`${cid}/a/b/value`)))._tag, "NoLink")
    })
  )
)
