/** Starts the node that clients are measured against. */
import { fork } from "node:child_process"
import { once } from "node:events"

/** Starts the node with the text of its one block. */
export const start = async (block: string) => {
  const child = fork(new URL("./measuredNode.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  child.send(block)
  const [port] = await once(child, "message")
  const exited = once(child, "exit")
  const close = async () => {
    child.disconnect()
    await exited
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
