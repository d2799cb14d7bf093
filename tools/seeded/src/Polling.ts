/** Asks again until there is an answer. */

/**
 * Returns the first answer that is not null, such as the receipt of a transaction. viem's own wait for a receipt can miss
 * the block, and then waits for a next one.
 */
export const until = async <A>(ask: () => Promise<A>): Promise<NonNullable<A>> => {
  for (;;) {
    const answer = await ask()
    if (answer != null) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
