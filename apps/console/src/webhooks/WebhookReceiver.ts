/** A program to paste: a receiver that checks signatures. */
import { type Explained, YOUR_SECRET } from "../programs/ProgramParts.ts"

/** Returns the programs that receive events. */
export const receivers = (secret: string = YOUR_SECRET): ReadonlyArray<Explained> => [
  {
    name: "Node",
    how: "node receive.mjs. It needs no library, and listens on port 8787.",
    text: `import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const key = Buffer.from("${secret}".replace("whsec_", ""), "base64")

createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks)
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given = "" } = request.headers
    const digest = createHmac("sha256", key).update(\`\${id}.\${time}.\`).update(body).digest("base64")
    const [mine, theirs] = [Buffer.from(\`v1,\${digest}\`), Buffer.from(given)]
    const isSigned = mine.length === theirs.length && timingSafeEqual(mine, theirs)
    const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300
    response.writeHead(isSigned && isFresh ? 204 : 401).end()
    // an event can come twice: its id is the same
    if (isSigned && isFresh) console.log(id, JSON.parse(body))
  })
}).listen(Number(process.env.PORT ?? 8787))`
  }
]
