/**
 * A child process that never outlives its parent, even if the parent is killed by SIGKILL.
 *
 * On POSIX the program is started by `sh`, which first puts a watcher into the background and then becomes the program
 * itself (`exec`), so the pid, the exit code and the signal are the program's own. The watcher waits in `read` on a
 * pipe whose other end only this process holds. When this process dies, for any reason, the kernel closes that end,
 * `read` fails and the watcher kills the program. If the program ends first, we send the watcher a line, and it exits
 * without touching the pid, which may already belong to another process. The watcher starts before the program does, so
 * the program is always watched, and nothing polls.
 *
 * This module uses node:child_process and not effect/process. effect/process does not report the signal of a killed
 * child, waits for a whole process group although there is only one process to end, and needs a layer of platform
 * services.
 *
 * The watcher outlives the program briefly, so the machine's init must reap it. In a container whose first process
 * reaps nothing (Node itself, without `docker run --init`), each watcher leaves an entry in the process table.
 *
 * Windows has no `sh`: a parent that is killed there leaves its child running.
 */
import * as ChildProcess from "node:child_process"
import { parse } from "node:path"
import type { Writable } from "node:stream"

import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The end of a process, with either an exit code or a signal; the other is null. */
export interface ProcessExit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last `STDERR_TAIL` characters of the standard error, or fewer. */
  readonly stderr: string
}

export interface OwnedProcess {
  readonly pid: number
  /** Waits until the process is gone and its watcher closes the pipe, which is the watcher's last action. */
  readonly exited: Effect.Effect<ProcessExit>
}

export interface ProcessOptions {
  /** The absolute path of the program. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Called with each piece of standard output. The output is not kept anywhere else. */
  readonly onStdout: (text: string) => void
}

/** Maximum length of the kept end of standard error, in characters. */
export const STDERR_TAIL = 4096

export const SHELL = "/bin/sh"

/** Time from SIGTERM to SIGKILL, in milliseconds. */
const GRACE = 2000

/**
 * Starts a process that ends with the scope: by SIGTERM, and two seconds later by SIGKILL.
 *
 * Fails if the operating system cannot start the process. On POSIX, a program that cannot be executed does not cause
 * this failure, because the shell starts, and then exits with 126 or 127.
 */
export const spawn = (options: ProcessOptions): Effect.Effect<OwnedProcess, Error, Scope.Scope> =>
  Effect.acquireRelease(start(options), (running) => running.stop)

interface Running extends OwnedProcess {
  readonly stop: Effect.Effect<void>
}

// "$$" is the pid of the shell, even in its subshells, and the shell becomes the program.
const script = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

const start = (options: ProcessOptions): Effect.Effect<Running, Error> =>
  Effect.callback((resume) => {
    const posix = process.platform !== "win32"
    const exited = Deferred.makeUnsafe<ProcessExit>()
    let stderr = ""

    const child = ChildProcess.spawn(
      posix ? SHELL : options.command,
      posix ? ["-c", script, options.command, ...options.args] : options.args,
      {
        // The child does not inherit our environment, and reads no .env file of the working folder.
        env: posix ? {} : { SystemRoot: process.env["SystemRoot"] },
        cwd: parse(options.command).root,
        // A separate session, so that Ctrl-C in the terminal reaches only this process, which then ends the child
        // itself.
        detached: posix,
        windowsHide: true,
        stdio: posix ? ["ignore", "pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe"]
      }
    )
    const watcher = child.stdio[3] as Writable | undefined
    // An error here means that the watcher has already exited.
    watcher?.on("error", () => {})

    child.stdout?.setEncoding("utf8").on("data", options.onStdout)
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    child.once("exit", () => watcher?.end("\n"))
    child.once("close", (exitCode, signal) => {
      Deferred.doneUnsafe(exited, Effect.succeed({ exitCode, signal, stderr }))
    })
    child.on("error", (error) => resume(Effect.fail(error)))
    child.once("spawn", () => {
      resume(Effect.succeed({ pid: child.pid!, exited: Deferred.await(exited), stop: stop(child, exited) }))
    })
  })

/** Stops the child. Uses the platform's time instead of the Clock, because a child must also end under a test clock. */
const stop = (child: ChildProcess.ChildProcess, exited: Deferred.Deferred<ProcessExit>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const force = setTimeout(() => child.kill("SIGKILL"), GRACE)
    child.kill("SIGTERM")
    return Effect.andThen(
      Deferred.await(exited),
      Effect.sync(() => clearTimeout(force))
    )
  })
