// Work that may not take longer than something.
/** What `work` answers; rejects with `sentence` where it takes longer than `ms`. */
export function inTime(work, ms, sentence) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
