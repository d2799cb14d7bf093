/** Removes the secrets of URLs, headers, request targets, platform errors and free text from texts that people read. */
export * as FreeText from "./FreeText.ts"
export * as HeaderSecrets from "./HeaderSecrets.ts"
export * as Identifier from "./Identifier.ts"
export * as Placeholder from "./Placeholder.ts"
export * as PlatformError from "./PlatformError.ts"
export * as RequestTarget from "./RequestTarget.ts"
export * as UrlSecrets from "./UrlSecrets.ts"
