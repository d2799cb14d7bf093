/** Parts that endpoints of the admin API share: their description, and the errors of a request with a body. */
import * as OpenApi from "effect/http-api/OpenApi"

import * as AdminError from "./AdminError.ts"

/** Describes an endpoint in the OpenAPI document. */
export const described = (description: string) => OpenApi.annotations({ summary: description })

/** The errors of a request with a body. */
export const ofBody = [AdminError.TooLarge, AdminError.UnsupportedMediaType] as const
