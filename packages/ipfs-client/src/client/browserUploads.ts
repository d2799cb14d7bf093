/**
 * Uploads with `fetch` in browsers. Chromium sends a stream only over HTTP/2 and newer; over HTTP/1 the request fails
 * after its stream has been read. A page cannot know the version before it sends. So in browsers the body is sent
 * whole.
 */

/** True in a page or a worker of a browser. */
const isBrowser = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis

/** Returns the `fetch` function for this runtime. In a browser, the function sends each body whole. */
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
