/** While a test works, the clock of this process stands `seconds` after the epoch and goes on from there. */
export async function atTime<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const real = Date.now;
  const ahead = seconds * 1000 - real();
  Date.now = () => real() + ahead;
  try {
    return await work();
  } finally {
    Date.now = real;
  }
}
