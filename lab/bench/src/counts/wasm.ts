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

WebAssembly.Instance = function (module: WebAssembly.Module, imports?: WebAssembly.Imports) {
  return { exports: counted(new Instance(module, imports).exports) }
} as unknown as typeof WebAssembly.Instance

/** Returns the number of calls until now. */
export const count = (): number => calls
