/** `cache`: the cache of proven answers. A proven answer stays true, so the node is asked for it only once. */
import * as AnswerStore from "@plumbline/gateway/cache/AnswerStore"
import * as VerifiedCache from "@plumbline/gateway/cache/VerifiedCache"
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section of the file. The bounds are in bytes. */
export const section = Setting.group(
  { ...VerifiedCache.fields, store: AnswerStore.bytes },
  "Sizes of the caches of proven answers, for networks with integrity."
)
