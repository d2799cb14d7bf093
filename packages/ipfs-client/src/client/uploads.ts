/**
 * Uploads with `fetch` in browsers. Chromium sends a stream over HTTP/2 and newer alone, and a request over HTTP/1 fails
 * after its stream has been read. So a body is sent whole there. A page cannot know the version before it sends.
 */

/** True in a page or a worker of a browser. */
const isBrowser = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis

/** Returns the function for this runtime, which sends bodies whole in a browser. */
export const fetchOf = (
  fetch: typeof globalThis.fetch | undefined,
  whole: boolean = isBrowser()
): typeof globalThis.fetch | undefined => {
  if (!whole) return fetch
  return async (input, init) => {
    const send = fetch ?? globalThis.fetch
    if (!(init?.body instanceof ReadableStream)) return send(input, init)
    const { duplex: _, ...rest } = { duplex: undefined, ...init }
    return send(input, { ...rest, body: await new Response(init.body).arrayBuffer() })
  }
}
