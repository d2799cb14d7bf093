/** Generated modules, run. */
import { stripTypeScriptTypes } from "node:module"

import { Generate, Layout } from "@plumbline/storage-layout"
import { Result } from "effect"

/** What a module exports. */
export const load = async (text: string): Promise<any> => {
  const code = Buffer.from(stripTypeScriptTypes(text)).toString("base64")
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}

/** The value that a generated module exports. */
export const run = async (text: string): Promise<any> => (await load(text)).layout

/** The layout that is read from the module that is generated of a layout. */
export const again = async (layout: Layout.Layout): Promise<Layout.Layout> =>
  Result.getOrThrow(Layout.fromSolc(await run(Generate.typescript(layout))))
