// Spreads thousands of subscribers over several processes.
const PER_PROCESS = 5000;

/** Connects `count` subscribers whose events need not arrive one by one. */
export async function receiversFor(stage, path, count, capabilities) {
  const all = [];
  for (let left = count; left > 0; left -= PER_PROCESS) {
    const receivers = await stage.role("receivers");
    await receivers.call("connect", { path, count: Math.min(left, PER_PROCESS), inOrder: false, capabilities });
    all.push(receivers);
  }
  return all;
}
