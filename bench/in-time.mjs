// Limits the time of work.
/** Resolves with the result of `work`; rejects with `sentence` after `ms`. */
export function inTime(work, ms, sentence) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
