/** Starts a node of the bench of logs in a thread. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

import type { NodeChain, NodeChange, NodeOptions, NodeReady } from "./logsNode.ts"

/** A running node. */
export interface StartedNode extends NodeReady {
  /** Changes its chain, and returns the logs that are on it then. */
  readonly change: (change: NodeChange) => Promise<NodeChain>
  readonly stop: () => Promise<unknown>
}

/** Starts a node, and waits until it has its chain. */
export const startNode = async (workerData: NodeOptions): Promise<StartedNode> => {
  const worker = new Worker(new URL("./logsNode.ts", import.meta.url), { workerData })
  const ready = await new Promise<NodeReady>((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  })
  return {
    ...ready,
    change: async (change) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(change)
      const [answer] = await once(worker, "message")
      return answer
    },
    stop: () => worker.terminate()
  }
}
