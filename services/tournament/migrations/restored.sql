-- After a restore no lease holds: whoever had one works for an arena that is gone. The fence has the epoch of the
-- database in its upper half, so that a worker from before never holds the same one as a worker from after.
UPDATE block
SET fence = CASE WHEN fence < :epoch THEN :epoch + fence ELSE fence + :step END
WHERE state <> 'done';
UPDATE block SET state = 'queued', attempts = attempts - 1, lease_until = 0 WHERE state = 'claimed'
