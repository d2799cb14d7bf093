/**
 * A thread of calls. While the environment data `deaf` is true, it stands still at the first message that it gets;
 * otherwise it is the thread of the service.
 */
import { getEnvironmentData, parentPort } from "node:worker_threads"

if (getEnvironmentData("deaf") === true) {
  parentPort!.on("message", () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
  parentPort!.postMessage({ _tag: "Ready" }, [])
} else {
  await import("../../src/service/CallThread.ts")
}
