/**
 * Counts the calls that cross into WebAssembly. It must be loaded before the modules that start WebAssembly, because it
 * replaces `WebAssembly.Instance`.
 */

const Instance = WebAssembly.Instance
let calls = 0

const counted = (exports: WebAssembly.Exports): WebAssembly.Exports =>
  Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (...args: ReadonlyArray<unknown>) => {
            calls++
            return (value as (...args: ReadonlyArray<unknown>) => unknown)(...args)
          }
        : value
    ])
  ) as WebAssembly.Exports

WebAssembly.Instance = new Proxy(Instance, {
  construct: (made, args: ConstructorParameters<typeof Instance>) => ({ exports: counted(new made(...args).exports) })
})

/** Returns the number of calls until now. */
export const count = (): number => calls
