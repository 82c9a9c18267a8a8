/** More than any answer that we ask for, whatever its provider wraps around each word. */
const mostBytes = 8 * 1024 * 1024;
const longestLine = 1024 * 1024;

/**
 * The same answer, which breaks off where none of ours would go on. With each piece that they hear SDKs look for the end of
 * a line in all of it: a line of ten megabytes takes them minutes, in which nothing else happens, not even a deadline.
 */
export function bounded(response: Response): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  let [bytes, line] = [0, 0];
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, onwards) => {
      const end = chunk.lastIndexOf(lineFeed);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      bytes += chunk.length;
      if (bytes > mostBytes || line > longestLine) onwards.error(new Error(`it has no end after ${bytes} bytes`));
      else onwards.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(watch), { status, headers });
}

const lineFeed = 10;
