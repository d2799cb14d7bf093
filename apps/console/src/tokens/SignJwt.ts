/** Programs to paste: they make a key, sign a token, and call the service with it. */
import { curl, type Explained, YOUR_KEY } from "../programs/ProgramParts.ts"

/** The facts that are written into the programs. */
export interface SigningFacts {
  /** The origin of the service. */
  readonly url: string
  /** The audience of tokens (the claim `aud`). */
  readonly audience: string
  /** A network that the project may use; undefined without one. */
  readonly network: string | undefined
}

/** The program that makes a key. It needs no facts. */
export const makeKey: Explained = {
  name: "1. Make a key",
  how: "node make-key.mjs, once, on your server. It prints the public key, which is what you paste here.",
  text: `import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"

const kid = new Date().toISOString().slice(0, 10)
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const secret = { kid, ...privateKey.export({ format: "jwk" }) }
// the private key stays in this file; "wx" never writes over an older one
writeFileSync("users-private-key.json", JSON.stringify(secret), { mode: 0o600, flag: "wx" })
console.log(JSON.stringify({ kid, ...publicKey.export({ format: "jwk" }) }))`
}

/** Returns the programs in the order in which they are used. */
export const programs = ({ audience, network, url }: SigningFacts): ReadonlyArray<Explained> => [
  makeKey,
  {
    name: "2. Sign a token",
    how: "node sign.mjs, for each user that you let in. It needs no library.",
    text: `import { createPrivateKey, sign } from "node:crypto"
import { readFileSync } from "node:fs"

const { kid, ...key } = JSON.parse(readFileSync("users-private-key.json", "utf8"))
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url")

const header = part({ alg: "EdDSA", typ: "JWT", kid })
const claims = part({
  sub: "user-1",
  aud: ${JSON.stringify(audience)},
  exp: Math.floor(Date.now() / 1000) + 3600,
  // narrows what the project may do; without it, all of that
  methods: ["eth_blockNumber", "eth_call"]
})
const signature = sign(null, Buffer.from(\`\${header}.\${claims}\`), createPrivateKey({ key, format: "jwk" }))
console.log(\`\${header}.\${claims}.\${signature.toString("base64url")}\`)`
  },
  ...(network === undefined
    ? []
    : [
        {
          name: "3. Call with it",
          how: `In a shell, with the project's key in the place of ${YOUR_KEY}.`,
          text: `TOKEN=$(node sign.mjs)\n${curl(
            `${url}/${network}/v3/${YOUR_KEY}`,
            { method: "eth_blockNumber", params: [] },
            '--header "authorization: Bearer $TOKEN"'
          )}`
        }
      ])
]
